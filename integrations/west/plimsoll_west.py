"""`west plimsoll upload`: sends the documents of `west spdx` to Plimsoll."""

import glob
import os
import sys

from west.commands import WestCommand

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from plimsoll_upload import REPLACEMENTS, PlimsollError, upload  # noqa: E402


class Plimsoll(WestCommand):
    def __init__(self):
        super().__init__(
            "plimsoll",
            "upload the SBOMs of a build to Plimsoll",
            "Uploads what `west spdx` wrote. PLIMSOLL_URL and PLIMSOLL_API_KEY say where to.",
        )

    def do_add_parser(self, parser_adder):
        parser = parser_adder.add_parser(self.name, help=self.help, description=self.description)
        commands = parser.add_subparsers(dest="what", required=True)
        one = commands.add_parser("upload", help="upload the SBOMs of a build")
        one.add_argument("-d", "--build-dir", default="build", help="the build (default: build)")
        one.add_argument("--firmware", required=True, help="slug of the firmware")
        # --version is west's own.
        one.add_argument("--firmware-version", required=True, help="name of the firmware version")
        one.add_argument("--wait", action="store_true", help="wait until the findings are known")
        one.add_argument(
            "--replace",
            choices=(*REPLACEMENTS, "none"),
            default="file",
            help="what of the version goes for these: the same file names or documents (file, the default), "
            "the same documents (serial), all, or nothing (none)",
        )
        return parser

    def do_run(self, args, unknown):
        files = sorted(glob.glob(os.path.join(glob.escape(args.build_dir), "spdx", "*.spdx")))
        if not files:
            self.die(f"{args.build_dir}/spdx has no documents: run west spdx -d {args.build_dir} first")
        replace = None if args.replace == "none" else args.replace
        try:
            sboms = upload(os.environ, args.firmware, args.firmware_version, files, args.wait, replace)
        except PlimsollError as error:
            self.die(str(error))
        self.inf(f"{args.firmware}@{args.firmware_version}: SBOMs uploaded: {len(sboms)}")
