#!/usr/bin/env python3
"""A device of Plimsoll over HTTP, in the standard library: says what it runs, measures and logs; takes updates.

It plays a device with two slots: an update is downloaded into the other slot, checked, and booted. What would differ on
real hardware is in `Slots`. The protocol: docs/guide/device-protocol.md
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import shutil
import time
import urllib.error
import urllib.request
import uuid

MOST_KEPT = 1000  # points and lines that wait to be sent; the service takes as many at once
MOST_CRASHES = 50
LOG_SEVERITIES = ["Debug", "Info", "Warning", "Error", "Critical"]


class Refused(Exception):
    """The service has understood and said no: sending the same again would not help."""


class Slots:
    """Two folders, of which one runs. Replace this by what your bootloader offers."""

    def __init__(self, folder: pathlib.Path, slug: str, version: str):
        self.folder = folder
        self.active_file = folder / "active"
        if not self.active_file.exists():
            self.write_manifest("a", {slug: version})
            self.active_file.write_text("a")

    @property
    def active(self) -> str:
        return self.active_file.read_text()

    @property
    def other(self) -> str:
        return "b" if self.active == "a" else "a"

    def running(self) -> dict:
        return json.loads((self.folder / self.active / "manifest.json").read_text())

    def hashes(self) -> dict:
        """The SHA-256 of each image that runs; those that the factory wrote are not known here."""
        file = self.folder / self.active / "hashes.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def write_manifest(self, slot: str, versions: dict, hashes: dict = {}) -> None:
        (self.folder / slot).mkdir(parents=True, exist_ok=True)
        (self.folder / slot / "manifest.json").write_text(json.dumps(versions))
        (self.folder / slot / "hashes.json").write_text(json.dumps(hashes))

    def path(self, slug: str) -> pathlib.Path:
        """Where an image goes: in the slot that does not run."""
        folder = self.folder / self.other
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{slug}.img"

    def boot_other(self) -> None:
        temporary = self.folder / "active.new"
        temporary.write_text(self.other)
        temporary.replace(self.active_file)


class Keys:
    """The present key, and the next one until it was accepted: an answer may be lost, and the power may go at any moment."""

    def __init__(self, file: pathlib.Path, given: str):
        self.file = file
        kept = json.loads(file.read_text()) if file.exists() else {}
        # Somebody gave it another key by hand.
        self.kept = kept if kept.get("given") == given else {"given": given, "present": given, "next": None}

    @property
    def present(self) -> str:
        return self.kept["present"]

    @property
    def next(self) -> str:
        return self.kept["next"]

    def store(self, **changes) -> None:
        self.kept = {**self.kept, **changes}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.file.with_suffix(".new")
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(self.kept, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.file)


class Device:
    def __init__(self, options: argparse.Namespace):
        self.url = f"{options.url}/device/v1/{options.workspace}/{options.device}/sync"
        self.keys = Keys(pathlib.Path(options.state) / "keys.json", options.key)
        self.slots = Slots(pathlib.Path(options.state), options.slug, options.version)
        self.crash_folder = pathlib.Path(options.state) / "crashes"
        self.every = options.every
        self.log_severity = "Info"
        self.points = collections.deque(maxlen=MOST_KEPT)
        self.lines = collections.deque(maxlen=MOST_KEPT)
        self.boot()

    def boot(self) -> None:
        """A new run: its sequences count from 0, and it tells once what it runs."""
        self.run_id = str(uuid.uuid4())
        self.sequence = 0
        self.started = time.monotonic()
        firmware = [{"slug": slug, "version": version} for slug, version in self.slots.running().items()]
        attributes = {f"imageHash.{slug}": digest for slug, digest in self.slots.hashes().items()}
        # Whoever writes crashes down has made the folder. Without it nobody does, and no crash would mean nothing.
        attributes["reportsCrashes"] = self.crash_folder.is_dir()
        self.unsaid = {"session": {"runId": self.run_id, "firmware": firmware, "attributes": attributes}}
        self.log("Info", f"booted slot {self.slots.active}")

    # What it says. Points and lines name run and sequence, so that sending them again stores them once.

    def next_sequence(self) -> int:
        self.sequence += 1
        return self.sequence

    def measure(self, name: str, value: float) -> None:
        self.points.append(
            {"name": name, "value": value, "timestamp": now(), "runId": self.run_id, "sequence": self.next_sequence()}
        )

    def log(self, severity: str, message: str) -> None:
        print(f"{severity}: {message}", flush=True)
        if LOG_SEVERITIES.index(severity) >= LOG_SEVERITIES.index(self.log_severity):
            self.lines.append(
                {
                    "severity": severity,
                    "message": message,
                    "timestamp": now(),
                    "runId": self.run_id,
                    "sequence": self.next_sequence(),
                }
            )

    def sync(self) -> dict:
        """Sends all that was not said yet, and forgets it only when it is stored."""
        points, lines, reports = list(self.points), list(self.lines), sorted(self.crash_folder.glob("*.txt"))
        crashes = [read_crash(report) for report in reports[:MOST_CRASHES]]
        body = {**self.unsaid, "metrics": points, "logs": lines, "crashes": crashes}
        try:
            answer = self.post(self.url, self.keys.next or self.keys.present, body)
        except urllib.error.HTTPError as error:
            if error.code == 401 and self.keys.next:
                # Another one of its next keys was used before, or somebody revoked this one.
                self.keys.store(next=None)
                return self.sync()
            if error.code == 400:
                # Never understood: sent again it would block all that comes after it.
                self.forget(points, lines, reports)
            if error.code in (429, 503):
                raise
            raise Refused(f"{error.code}: {error.read().decode(errors='replace')}") from error
        for fault in answer.get("errors", []):
            print(f"a crash that was not kept: {fault['pointer']} {fault['detail']}", flush=True)
        self.forget(points, lines, reports)
        if self.keys.next:
            # Its first use has ended the older one.
            self.keys.store(present=self.keys.next, next=None)
            self.log("Info", "uses its next key")
        return answer

    @staticmethod
    def post(url: str, key: str, body: dict) -> dict:
        request = urllib.request.Request(
            url,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def forget(self, points: list, lines: list, reports: list) -> None:
        self.unsaid = {}
        for report in reports[:MOST_CRASHES]:
            report.unlink()
        for kept, sent in ((self.points, points), (self.lines, lines)):
            for _ in sent:
                kept.popleft()

    # What it hears.

    def take_config(self, config: dict) -> None:
        self.log_severity = config["logSeverity"]
        self.unsaid["config"] = {
            "logSeverity": self.log_severity,
            "acknowledgedDesiredConfigurationVersion": config["version"],
        }
        self.log("Info", f"logs from {self.log_severity} on")

    def take_key(self, key: dict) -> None:
        """Stores the next key before it is used. Where the answer is lost, the present one goes on, and the next sync asks again."""
        if self.keys.next:
            return
        try:
            self.keys.store(next=self.post(key["url"], self.keys.present, {})["deviceKey"])
        except urllib.error.HTTPError as error:
            print(f"no next key: {error.code}: {error.read().decode(errors='replace')}", flush=True)

    def take_update(self, update: dict) -> None:
        if update.get("cancel"):
            # Nothing is under way between two syncs: it has stopped.
            self.say_update(update, "failed", reason="cancelled, nothing was changed")
            return
        target = {artifact["slug"]: artifact["version"] for artifact in update["artifacts"]}
        versions = {**self.slots.running(), **target}
        if versions == self.slots.running():
            self.boot()  # It runs already: the session says so, and is all that counts.
            return
        self.say_update(update, "inProgress", progress=0)
        self.sync()
        try:
            for artifact in sorted(update["artifacts"], key=lambda one: one["order"]):
                self.download(artifact)
        except (ValueError, OSError) as error:
            self.say_update(update, "failed", reason=str(error))
            return
        new = {artifact["slug"]: artifact["sha256"] for artifact in update["artifacts"]}
        self.slots.write_manifest(self.slots.other, versions, {**self.slots.hashes(), **new})
        self.say_update(update, "succeeded")
        self.sync()
        self.slots.boot_other()
        self.boot()

    def say_update(self, update: dict, state: str, **more) -> None:
        self.unsaid["update"] = {"updateId": update["updateId"], "state": state, **more}

    def download(self, artifact: dict) -> None:
        """Goes on where it was cut off, also before a reboot: the file is whole when its SHA-256 is right."""
        path = self.slots.path(artifact["slug"])
        part = path.with_name(f"{artifact['sha256']}.part")
        for attempt in range(5):
            have = part.stat().st_size if part.exists() else 0
            if have >= artifact["size"]:
                break
            try:
                self.fetch(artifact, part, have)
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                asked = error.headers.get("Retry-After", "") if isinstance(error, urllib.error.HTTPError) else ""
                if isinstance(error, urllib.error.HTTPError) and error.code == 404:
                    raise ValueError("the link is no longer good") from error
                # A service that is busy says when to come again; a proxy may say it as a date.
                pause = float(asked) if asked.isdigit() else 0
                time.sleep(max(pause, 2**attempt * random.uniform(0.5, 1)))
        digest = hashlib.sha256(part.read_bytes() if part.exists() else b"").hexdigest()
        if digest != artifact["sha256"]:
            part.unlink(missing_ok=True)
            raise ValueError(f"sha256 of {artifact['slug']} is {digest}")
        part.replace(path)
        self.log("Info", f"downloaded {artifact['slug']} {artifact['version']}")

    @staticmethod
    def fetch(artifact: dict, part: pathlib.Path, have: int) -> None:
        request = urllib.request.Request(artifact["url"])
        if have > 0:
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", f'"{artifact["sha256"]}"')
        # The service may let a download wait for most of a minute.
        with urllib.request.urlopen(request, timeout=60) as response:
            # 200 in place of 206: all of it, from the beginning.
            with part.open("ab" if response.status == 206 else "wb") as file:
                shutil.copyfileobj(response, file)

    def run(self) -> None:
        failures = 0
        while True:
            self.measure("uptime.seconds", round(time.monotonic() - self.started, 3))
            try:
                answer = self.sync()
                failures = 0
                if answer["config"]:
                    self.take_config(answer["config"])
                if answer["update"]:
                    self.take_update(answer["update"])
                if answer.get("key"):
                    self.take_key(answer["key"])
            except Refused as error:
                print(f"refused: {error}", flush=True)
                failures += 1
            except OSError as error:
                print(f"not reached: {error}", flush=True)
                failures += 1
            # What there is to say is said at once; after failures the fleet does not come back all together.
            if failures or not self.unsaid:
                time.sleep(min(self.every * 2**failures, 3600) * random.uniform(0.75, 1.25))


def read_crash(report: pathlib.Path) -> dict:
    """A file of lines "name: value", as core-to-crash.sh of the shell client writes them; its name makes it count once."""
    lines = [line.partition(":") for line in report.read_text(errors="replace").splitlines()]
    crash = {name: value.strip() for name, colon, value in lines if colon and name != "return"}
    returns = [value.strip() for name, _, value in lines if name == "return"]
    return {**crash, "returnAddresses": returns, "runId": report.stem, "sequence": 1}


def now() -> str:
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default=os.environ.get("PLIMSOLL_URL", "http://localhost:8080"))
    parser.add_argument("--workspace", default=os.environ.get("PLIMSOLL_WORKSPACE"))
    parser.add_argument("--device", default=os.environ.get("PLIMSOLL_DEVICE"))
    parser.add_argument("--key", default=os.environ.get("PLIMSOLL_DEVICE_KEY"))
    parser.add_argument("--state", default="device-state", help="a folder for the two slots")
    parser.add_argument("--slug", default="main", help="what it runs at first")
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--every", type=float, default=60, help="seconds between two syncs")
    options = parser.parse_args()
    missing = [name for name in ("workspace", "device", "key") if not getattr(options, name)]
    if missing:
        parser.error(f"missing: --{', --'.join(missing)}")
    Device(options).run()


if __name__ == "__main__":
    main()
