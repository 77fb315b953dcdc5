"""The files of a cross-encoder in the shape of a multilingual MiniLM (XLM-R's vocabulary), with random weights.

It computes what a trained one computes, so it takes as long; what it says is noise.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LAYERS, HIDDEN, HEADS, INNER = 12, 384, 12, 1536
VOCABULARY, POSITIONS = 250_002, 514
SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, ".": 4}
FIRST_WORD = len(SPECIAL)
MAX_LENGTH = 512


def write_model(folder: Path) -> Path:
    """Write ``model.onnx`` (471 MB) and a tokenizer whose tokens are the words ``w5`` … ``w250001`` and the stop."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(_Graph().model(), str(folder / "model.onnx"))
    words = {f"w{number}": number for number in range(FIRST_WORD, VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel({**SPECIAL, **words}, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    configuration = {"model_max_length": MAX_LENGTH, "pad_token": "<pad>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(configuration), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 1}), encoding="utf-8")
    return folder


def write_int8(folder: Path, model: Path) -> Path:
    """Write the same model with its weights in 8 bits, quantised as the published ones are."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    folder.mkdir(parents=True, exist_ok=True)
    quantize_dynamic(str(model / "model.onnx"), str(folder / "model.onnx"), weight_type=QuantType.QInt8)
    for file in model.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


class _Graph:
    """XLM-RoBERTa for sequence classification with one label, post-norm, GELU by its error function."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []

    def model(self) -> Any:
        mask = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        visible = self.op("Unsqueeze", mask, self.tensor("middle", np.array([1, 2])))
        closed = self.op("Mul", self.op("Sub", self.number("one", 1), visible), self.number("least", -1e9))
        positions = self.op("CumSum", "attention_mask", self.tensor("axis", np.array(1)))
        positions = self.op("Add", self.op("Mul", positions, "attention_mask"), self.tensor("padding", np.array(1)))
        words = self.op("Gather", self.weights("words", VOCABULARY, HIDDEN), "input_ids")
        hidden = self.norm(
            self.op("Add", words, self.op("Gather", self.weights("places", POSITIONS, HIDDEN), positions))
        )
        self.tensor("heads", np.array([0, 0, HEADS, HIDDEN // HEADS]))
        self.tensor("joined", np.array([0, 0, HIDDEN]))
        self.number("scale", (HIDDEN // HEADS) ** -0.5)
        self.number("half", 0.5)
        self.number("root", 2**0.5)
        for _ in range(LAYERS):
            hidden = self.norm(self.op("Add", hidden, self.attention(hidden, closed)))
            hidden = self.norm(self.op("Add", hidden, self.feed_forward(hidden)))
        first = self.op("Gather", hidden, self.tensor("first", np.array(0)), axis=1)
        pooled = self.op("Tanh", self.dense(first, HIDDEN, HIDDEN))
        logits = self.dense(pooled, HIDDEN, 1)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["batch", 1])]
        graph = helper.make_graph(self.nodes, "cross-encoder", inputs, outputs, self.tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

    def attention(self, hidden: str, mask: str) -> str:
        def heads(order: list[int]) -> str:
            return self.op("Transpose", self.op("Reshape", self.dense(hidden, HIDDEN, HIDDEN), "heads"), perm=order)

        query, key, value = heads([0, 2, 1, 3]), heads([0, 2, 3, 1]), heads([0, 2, 1, 3])
        scores = self.op("Add", self.op("Mul", self.op("MatMul", query, key), "scale"), mask)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), "joined")
        return self.dense(joined, HIDDEN, HIDDEN)

    def feed_forward(self, hidden: str) -> str:
        wide = self.dense(hidden, HIDDEN, INNER)
        bend = self.op("Add", self.op("Erf", self.op("Div", wide, "root")), "one")
        return self.dense(self.op("Mul", self.op("Mul", wide, bend), "half"), INNER, HIDDEN)

    def dense(self, hidden: str, wide: int, out: int) -> str:
        name = f"dense{len(self.tensors)}"
        product = self.op("MatMul", hidden, self.weights(name, wide, out))
        return self.op("Add", product, self.weights(f"{name}b", out))

    def norm(self, hidden: str) -> str:
        name = f"norm{len(self.tensors)}"
        gain = self.tensor(name, np.ones(HIDDEN, np.float32))
        shift = self.tensor(f"{name}b", np.zeros(HIDDEN, np.float32))
        return self.op("LayerNormalization", hidden, gain, shift, axis=-1, epsilon=1e-5)

    def weights(self, name: str, *shape: int) -> str:
        # A block that repeats: drawing 96 million numbers takes longer than all the rest.
        block = self.random.normal(0, 0.02, 1_000_003).astype(np.float32)
        return self.tensor(name, np.resize(block, shape))

    def number(self, name: str, value: float) -> str:
        return self.tensor(name, np.array(value, np.float32))

    def tensor(self, name: str, value: Any) -> str:
        self.tensors.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind: str, *operands: str, **attributes: Any) -> str:
        result = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(operands), [result], **attributes))
        return result
