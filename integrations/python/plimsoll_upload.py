#!/usr/bin/env python3
"""Uploads SBOMs of a firmware version to Plimsoll. Needs Python 3.8 or newer, and nothing beside it.

The west command and the Yocto class use it; it runs alone, too:
    plimsoll_upload.py --firmware gateway --version 2.4.1 build/spdx/*.spdx
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid


class PlimsollError(Exception):
    """Says in words why an upload failed."""


class Service:
    """A service and one of its workspaces."""

    def __init__(self, url, api_key, workspace=None, timeout=60):
        if not urllib.parse.urlsplit(url).scheme in ("http", "https"):
            raise PlimsollError(f"PLIMSOLL_URL: {url!r} is not an http or https URL.")
        if not api_key:
            raise PlimsollError("No API key: set PLIMSOLL_API_KEY.")
        self.url = url.rstrip("/")
        self.api_key = api_key
        self.timeout = timeout
        self.workspace = workspace or self.ask("GET", "/whoami")["workspaceId"]

    @classmethod
    def of(cls, settings):
        """From PLIMSOLL_URL, PLIMSOLL_API_KEY and PLIMSOLL_WORKSPACE, as the command line client reads them."""
        read = lambda name: (settings.get(name) or "").strip()
        url = read("PLIMSOLL_URL") or "http://localhost:8080"
        return cls(url, read("PLIMSOLL_API_KEY"), read("PLIMSOLL_WORKSPACE"))

    def ask(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.url + path, data=body, method=method)
        request.add_header("Authorization", f"Bearer {self.api_key}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise PlimsollError(describe(error)) from error
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise PlimsollError(f"Cannot reach {self.url}: {reason}. Is PLIMSOLL_URL right?") from error
        except ValueError as error:
            raise PlimsollError(f"The answer of {self.url} is not from Plimsoll.") from error

    def workspace_path(self, path):
        return f"/workspaces/{urllib.parse.quote(self.workspace, safe='')}{path}"

    def send(self, path, value):
        headers = {"Content-Type": "application/json"}
        return self.ask("POST", self.workspace_path(path), json.dumps(value).encode(), headers)

    def version_id(self, firmware, version):
        """The id; what does not exist is created."""
        # As the service keeps names: a VERSION file may end with a line break.
        firmware, version = firmware.strip(), unicodedata.normalize("NFC", version).strip().strip("\ufeff")
        firmwares = self.ask("GET", self.workspace_path("/firmwares"))["firmwares"]
        found = next((one for one in firmwares if one["slug"] == firmware), None)
        found = found or self.send("/firmwares", {"slug": firmware})
        path = f"/firmwares/{found['id']}/versions"
        versions = self.ask("GET", self.workspace_path(path))["firmwareVersions"]
        known = next((one for one in versions if one["name"] == version), None)
        return (known or self.send(path, {"name": version}))["id"]

    def upload(self, version_id, files, replace=None):
        """Sends all files in one request, from disk. replace: "file", "serial" or "all" of the version goes for them."""
        path = self.workspace_path(f"/firmware-versions/{version_id}/sboms")
        if replace is not None:
            path += f"?replace={urllib.parse.quote(replace, safe='')}"
        with tempfile.TemporaryFile() as body:
            boundary = write_multipart(body, files)
            headers = {
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Content-Length": str(body.tell()),
            }
            body.seek(0)
            answer = self.ask("POST", path, body, headers)
            for warning in answer.get("warnings", []):
                print(warning, file=sys.stderr)
            return answer["sboms"]

    def wait(self, version_id, ids, seconds=600, pause=1.0):
        """Waits until the findings of these SBOMs are known."""
        path = self.workspace_path(f"/firmware-versions/{version_id}/sboms")
        until = time.monotonic() + seconds
        while True:
            sboms = [one for one in self.ask("GET", path)["sboms"] if one["id"] in ids]
            failed = [one for one in sboms if one["parsingError"]]
            if failed:
                names = "; ".join(f"{one['fileName']}: {one['parsingError']}" for one in failed)
                raise PlimsollError(f"Could not be read: {names}")
            if all(one["vulnerabilitiesParsedAt"] for one in sboms):
                return
            if time.monotonic() > until:
                raise PlimsollError(f"The SBOMs were not ready within {seconds} seconds.")
            time.sleep(pause)


def describe(error):
    """What the service says, else what a proxy in front of it says."""
    try:
        problem = json.load(error)
        return f"{error.code}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason} from {error.url}. Is PLIMSOLL_URL right?"


def write_multipart(body, files):
    """RFC 7578; returns the boundary."""
    boundary = uuid.uuid4().hex
    for path in files:
        name = os.path.basename(path)
        escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = (
            f"--{boundary}\r\n"
            f'Content-Disposition: form-data; name="file"; filename="{escaped}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body.write(head.encode())
        try:
            with open(path, "rb") as file:
                shutil.copyfileobj(file, body)
        except OSError as error:
            raise PlimsollError(f"Cannot read {path}: {error.strerror}.") from error
        body.write(b"\r\n")
    body.write(f"--{boundary}--\r\n".encode())
    return boundary


REPLACEMENTS = ("file", "serial", "all")


def upload(settings, firmware, version, files, wait=False, replace=None):
    """The whole way; returns the SBOMs as the service names them."""
    if not files:
        raise PlimsollError("There are no SBOMs to upload.")
    service = Service.of(settings)
    version_id = service.version_id(firmware, version)
    sboms = service.upload(version_id, files, replace)
    if wait:
        service.wait(version_id, {one["id"] for one in sboms})
    return sboms


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Upload SBOMs of a firmware version to Plimsoll")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--firmware", required=True, help="slug of the firmware")
    parser.add_argument("--version", required=True, help="name of the firmware version")
    parser.add_argument("--wait", action="store_true", help="wait until the findings are known")
    parser.add_argument(
        "--replace",
        choices=REPLACEMENTS,
        help="what of the version goes for these: the same file names or documents (file), the same documents (serial), all",
    )
    options = parser.parse_args(arguments)
    try:
        sboms = upload(os.environ, options.firmware, options.version, options.files, options.wait, options.replace)
    except PlimsollError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.firmware}@{options.version}: SBOMs uploaded: {len(sboms)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
