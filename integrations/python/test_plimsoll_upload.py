"""Run by `python3 -m unittest`, without a service."""

import io
import os
import tempfile
import unittest

from plimsoll_upload import PlimsollError, Service, upload, write_multipart


class Upload(unittest.TestCase):
    def test_says_what_is_missing(self):
        for settings, words in (
            ({}, "PLIMSOLL_API_KEY"),
            ({"PLIMSOLL_API_KEY": "plm_x", "PLIMSOLL_URL": "ftp://there"}, "not an http or https URL"),
            ({"PLIMSOLL_API_KEY": "plm_x", "PLIMSOLL_URL": "http://127.0.0.1:1"}, "Cannot reach"),
        ):
            with self.assertRaisesRegex(PlimsollError, words):
                upload(settings, "gateway", "1.0", ["image.spdx"])

    def test_wants_files(self):
        with self.assertRaisesRegex(PlimsollError, "no SBOMs"):
            upload({"PLIMSOLL_API_KEY": "plm_x"}, "gateway", "1.0", [])

    def test_keeps_bytes_and_names(self):
        content = bytes(range(256))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'odd "name".spdx')
            with open(path, "wb") as file:
                file.write(content)
            body = io.BytesIO()
            boundary = write_multipart(body, [path]).encode()
        self.assertIn(b'filename="odd %22name%22.spdx"', body.getvalue())
        self.assertIn(b"\r\n\r\n" + content + b"\r\n--" + boundary + b"--\r\n", body.getvalue())

    def test_names_a_file_that_cannot_be_read(self):
        with self.assertRaisesRegex(PlimsollError, "Cannot read /nowhere/a.spdx"):
            write_multipart(io.BytesIO(), ["/nowhere/a.spdx"])

    def test_trims_settings(self):
        settings = {"PLIMSOLL_URL": " http://there/ ", "PLIMSOLL_API_KEY": " plm_x ", "PLIMSOLL_WORKSPACE": "one"}
        service = Service.of(settings)
        self.assertEqual((service.url, service.api_key, service.workspace), ("http://there", "plm_x", "one"))


if __name__ == "__main__":
    unittest.main()
