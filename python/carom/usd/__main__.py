"""`python -m carom.usd convert FROM TO`: a USD stage as a saved model (Model.save()), or a saved model as a stage. The
command line `carom` runs it."""

import argparse
import importlib
import sys
import warnings
from typing import Any

from carom._error import Error

_ENDINGS = (".usd", ".usda", ".usdc", ".usdz")


def _carom() -> Any:
    """In double precision, where it is installed; saved models are read by both."""
    try:
        return importlib.import_module("carom.f64")
    except ImportError:
        return importlib.import_module("carom")


def _read(source: str, target: str, worlds: int | None) -> None:
    carom = _carom()
    file = carom.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = file.add_usd(source)
    for line in result["warnings"]:
        print(line)
    if result["world_count"]:
        if worlds not in (None, result["world_count"]):
            raise Error(f"'{source}' has {result['world_count']} worlds, and no others can be made of it; leave "
                        "--worlds out")
        file.finalize().save(target)
        return
    scene = carom.ModelBuilder()
    scene.replicate(file, worlds or 1)
    scene.finalize().save(target)


def _write(source: str, target: str, samples: str | None) -> None:
    import numpy as np

    from carom.usd import Recorder

    model = _carom().load(source)
    recorder = Recorder(model, target)
    if samples:
        with np.load(samples) as run:
            poses = run["body_q"].reshape(len(run["time"]), model.body_count, 7)
            for time, body_q in zip(run["time"].tolist(), poses):
                recorder.add_poses(body_q, time)
    recorder.close()
    for what in recorder.lost:
        print(f"lost: {what}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m carom.usd", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("convert", help="a stage as a saved model, or the other way round")
    convert.add_argument("source", metavar="FROM")
    convert.add_argument("target", metavar="TO")
    convert.add_argument("--worlds", type=int, help="copies of what a stage without worlds describes")
    convert.add_argument("--samples", help="an .npz file of `carom run --record`: poses over time")
    args = parser.parse_args()
    try:
        if args.source.lower().endswith(_ENDINGS):
            _read(args.source, args.target, args.worlds)
        else:
            _write(args.source, args.target, args.samples)
    except (Error, OSError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
