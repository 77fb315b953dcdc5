from concurrent.futures import ThreadPoolExecutor

from articulado.models.embeddings import VectorCache


def test_get_returns_what_was_put_and_none_for_a_miss():
    cache: VectorCache[str] = VectorCache()
    cache.put("a", "vector")
    assert cache.get("a") == "vector"
    assert cache.get("b") is None


def test_the_entry_used_longest_ago_is_forgotten():
    cache: VectorCache[int] = VectorCache(capacity=2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert len(cache) == 2


def test_putting_again_replaces_and_refreshes():
    cache: VectorCache[int] = VectorCache(capacity=2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("a", 10)
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b")) == (10, None)


def test_the_key_depends_on_space_fingerprint_and_text_alone():
    key = VectorCache.key("dense", "openai:m:3", "vacaciones")
    assert key == VectorCache.key("dense", "openai:m:3", "vacaciones")
    others = {
        VectorCache.key("sparse", "openai:m:3", "vacaciones"),
        VectorCache.key("dense", "openai:m:4", "vacaciones"),
        VectorCache.key("dense", "openai:m:3", "Vacaciones"),
        VectorCache.key("dense", "openai:m:3v", "acaciones"),
    }
    assert key not in others
    assert len(others) == 4


def test_a_lone_surrogate_has_a_key():
    assert VectorCache.key("dense", "f", "\ud800").startswith("dense:")


def test_threads_may_share_it():
    cache: VectorCache[int] = VectorCache(capacity=8)

    def use(worker: int) -> None:
        for i in range(500):
            cache.put(str((worker * i) % 16), i)
            cache.get(str(i % 16))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))
    assert len(cache) <= 8
