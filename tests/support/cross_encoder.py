"""A tiny cross-encoder in the files of a real one, and what it must answer, worked out without its libraries.

logit = w · tanh(mean over the tokens of (E[token] + P[position])) + b, padding left out
"""

import json
import re
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
WORDS = (
    "cuántos días de vacaciones corresponden treinta el periodo anuales despido será nulo trabajo a distancia salario "
    "mínimo la baja por enfermedad plazo veinte hábiles para demandar ley artículo estatuto los trabajadores > . , ¿ ?"
)
IDS = {word: number for number, word in enumerate([*SPECIAL, *WORDS.split()])}
SIZE, POSITIONS = 6, 600


class TinyCrossEncoder:
    """Its weights, and its answers in double precision."""

    def __init__(self, seed: int = 0, bias: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        self.words = random.normal(0, 2, (len(IDS), SIZE)).astype(np.float32)
        self.places = random.normal(0, 1, (POSITIONS, SIZE)).astype(np.float32)
        self.out = random.normal(0, 1, (SIZE, 1)).astype(np.float32)
        self.bias = np.array([bias], dtype=np.float32)

    def relevance(self, question: str, passage: str) -> float:
        """Return sigmoid(logit) of ``<s> question </s></s> passage </s>``."""
        start, end = [IDS["<s>"]], [IDS["</s>"]]
        ids = start + self.ids(question) + end + end + self.ids(passage) + end
        hidden = self.words[ids].astype(float) + self.places[: len(ids)]
        logit = np.tanh(hidden.mean(axis=0)) @ self.out.astype(float) + self.bias
        return float(1 / (1 + np.exp(-logit[0])))

    @staticmethod
    def ids(text: str) -> list[int]:
        """Return the tokens of a text: words and punctuation, in lower case."""
        return [IDS.get(piece, IDS["<unk>"]) for piece in re.findall(r"\w+|[^\w\s]+", text.lower())]

    def write(self, folder: Path, file: str = "onnx/model.onnx", max_length: int = 512) -> Path:
        """Write the files as the hub has them: ONNX graph, tokenizer and their configuration."""
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        onnx.save(self._graph(), str(folder / file))
        tokenizer = Tokenizer(models.WordLevel(IDS, unk_token="<unk>"))
        tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> </s> $B </s>",
            special_tokens=[("<s>", IDS["<s>"]), ("</s>", IDS["</s>"])],
        )
        tokenizer.add_special_tokens(SPECIAL)
        # As published files have them; who counts or scores must not go by them.
        tokenizer.enable_truncation(16)
        tokenizer.enable_padding(pad_id=IDS["<pad>"], pad_token="<pad>", length=16)
        tokenizer.save(str(folder / "tokenizer.json"))
        said = {"model_max_length": max_length, "pad_token": "<pad>"}
        (folder / "tokenizer_config.json").write_text(json.dumps(said), encoding="utf-8")
        (folder / "config.json").write_text(json.dumps({"pad_token_id": IDS["<pad>"]}), encoding="utf-8")
        return folder

    def _graph(self) -> onnx.ModelProto:
        weights = {
            "words": self.words,
            "places": self.places,
            "out": self.out,
            "bias": self.bias,
            "zero": np.array(0, np.int64),
            "one": np.array(1, np.int64),
            "across": np.array([1], np.int64),
            "last": np.array([2], np.int64),
        }
        steps = [
            ("Gather", ["words", "input_ids"], "embedded"),
            ("Shape", ["input_ids"], "shape"),
            ("Gather", ["shape", "one"], "length"),
            ("Range", ["zero", "length", "one"], "positions"),
            ("Gather", ["places", "positions"], "placed"),
            ("Add", ["embedded", "placed"], "hidden"),
            ("Cast", ["attention_mask"], "mask"),
            ("Unsqueeze", ["mask", "last"], "column"),
            ("Mul", ["hidden", "column"], "kept"),
            ("ReduceSum", ["kept", "across"], "summed"),
            ("ReduceSum", ["column", "across"], "count"),
            ("Div", ["summed", "count"], "mean"),
            ("Tanh", ["mean"], "squashed"),
            ("MatMul", ["squashed", "out"], "product"),
            ("Add", ["product", "bias"], "logits"),
        ]
        extra = {"Cast": {"to": TensorProto.FLOAT}, "ReduceSum": {"keepdims": 0}}
        graph = helper.make_graph(
            [helper.make_node(kind, given, [result], **extra.get(kind, {})) for kind, given, result in steps],
            "tiny",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
                for name in ("input_ids", "attention_mask")
            ],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
            [numpy_helper.from_array(array, name) for name, array in weights.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


class TinySentenceEncoder(TinyCrossEncoder):
    """Gives each token a vector of its own."""

    def vector(self, text: str):
        """Return the mean over the tokens of ``<s> text </s>``, at unit length."""
        ids = [IDS["<s>"], *self.ids(text), IDS["</s>"]]
        mean = self.words[ids].astype(float).mean(axis=0)
        return mean / np.sqrt((mean**2).sum())

    def _graph(self) -> onnx.ModelProto:
        nodes = [
            helper.make_node("Gather", ["words", "input_ids"], ["embedded"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
            helper.make_node("Mul", ["embedded", "column"], ["last_hidden_state"]),
        ]
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        result = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", 6])
        weights = [
            numpy_helper.from_array(self.words, "words"),
            numpy_helper.from_array(np.array([2], np.int64), "last"),
        ]
        graph = helper.make_graph(nodes, "tiny", given, [result], weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
