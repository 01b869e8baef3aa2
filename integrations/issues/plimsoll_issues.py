#!/usr/bin/env python3
"""Receives the webhook of a rule about new findings, and keeps one issue per finding in GitHub or Jira.

Needs Python 3.8 or newer, and nothing beside it. The same message twice, or two messages at once, make no second issue. See docs/guide/issues.md.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LONGEST_BODY = 1024 * 1024
# The service waits 15 seconds for an answer, and sends the message again after a 503.
LONGEST_WORK = 10


class Failed(Exception):
    """Says in words what another server answered."""


def call(method, url, headers, body=None, missing=False):
    """The answer as JSON and its headers; None where it is 404 and may be."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json", "User-Agent": "plimsoll-issues", **headers})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
            return (json.loads(text) if text else {}), answer.headers
    except urllib.error.HTTPError as error:
        if missing and error.code == 404:
            return None, error.headers
        raise Failed(f"{method} {url}: {error.code} {error.read(500).decode(errors='replace')}") from error
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise Failed(f"{method} {url}: {error}") from error


def is_genuine(headers, body, secret):
    """As the guide of webhooks says."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    try:
        if not abs(time.time() - float(timestamp)) < 300:
            return False
    except ValueError:
        return False
    key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    wanted = "v1," + base64.b64encode(hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one.encode(), wanted.encode()) for one in headers.get("webhook-signature", "").split(" "))


class Plimsoll:
    def __init__(self, url, api_key):
        self.url, self.headers = url.rstrip("/"), {"Authorization": f"Bearer {api_key}"}

    def findings_of(self, workspace, incident):
        """The ids of all findings that fired in the incident, those that fire now first."""
        path, cursor = f"{self.url}/workspaces/{workspace}/alert-incidents/{incident}/series/list", {}
        while True:
            page, _ = call("POST", path, self.headers, {"limit": 1000, **cursor})
            for one in page["series"]:
                yield one["series"]
            if not page["hasMore"]:
                return
            cursor = {"cursor": page["nextCursor"]}

    def finding(self, workspace, finding):
        path = f"{self.url}/workspaces/{workspace}/vulnerability-findings/{urllib.parse.quote(finding, safe='')}"
        return call("GET", path, self.headers, missing=True)[0]


class Wanted:
    """What an issue says about a finding: a title, lines, and whether it is open. `mark` is in its text, and changes when any of them does."""

    def __init__(self, finding_id, finding):
        self.is_open = finding is not None and finding["isActive"]
        if finding is None:
            self.title, self.lines = None, ["The finding is gone: its firmware version or SBOM was deleted."]
        else:
            component, version, cve = finding["component"], finding["firmwareVersion"], finding["cve"]
            where = f"{version['firmware']['slug']} {version['name']}"
            self.title = one_line(f"{cve['id']} in {component['name']} {component.get('version') or ''} ({where})")
            self.lines = [
                one_line(f"Severity: {cve['severity']}" + (", known to be exploited" if finding["isKnownCisaExploit"] else "")),
                one_line(f"Firmware: {where}, on {finding['affectedDeviceCount']} devices"),
                one_line(f"Fixed in: {', '.join(finding['fixedVersions']) or 'not known'}"),
                one_line(f"Assessment: {finding['assessment']}" + (", ignored" if finding["ignored"] else "")),
            ]
        self.key = hashlib.sha256(finding_id.encode()).hexdigest()[:20]
        state = hashlib.sha256(json.dumps([self.title, self.lines]).encode()).hexdigest()[:12]
        self.mark = f"plimsoll:{self.key}:{'open' if self.is_open else 'closed'}:{state}"


MARK = re.compile(r"plimsoll:([0-9a-f]{20}):(open|closed):[0-9a-f]{12}")


def one_line(text):
    """Names in an SBOM are written by others: no line of theirs, and no mention or markup."""
    return re.sub(r"[^\w .,:;()+~/-]", "", re.sub(r"\s+|://", " ", text))[:240]


class GitHub:
    """https://docs.github.com/en/rest/issues/issues (version 2022-11-28)"""

    def __init__(self, settings):
        self.url = f"{settings.get('GITHUB_API', 'https://api.github.com').rstrip('/')}/repos/{settings['GITHUB_REPOSITORY']}/issues"
        self.headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", "Authorization": f"Bearer {settings['GITHUB_TOKEN']}"}
        self.known = {}

    def begin(self):
        """Reads the issues that it made, whatever happened to them since. The search of GitHub knows new issues only after a while."""
        url = f"{self.url}?labels=plimsoll&state=all&per_page=100"
        while url:
            page, headers = call("GET", url, self.headers)
            for issue in page:
                mark = MARK.search(issue.get("body") or "")
                if mark and "pull_request" not in issue:
                    self.known[mark.group(1)] = issue
            link = re.search(r'<([^>]+)>;\s*rel="next"', headers.get("Link", ""))
            url = link.group(1) if link else None

    def find(self, wanted):
        issue = self.known.get(wanted.key)
        return issue and (issue, MARK.search(issue["body"]).group(0), issue["state"] == "open")

    def write(self, wanted, issue, link):
        body = "\n".join([f"- {line}" for line in wanted.lines] + ["", link, "", f"<!-- {wanted.mark} -->"])
        if issue is None:
            self.known[wanted.key], _ = call("POST", self.url, self.headers, {"title": wanted.title, "body": body, "labels": ["plimsoll"]})
            return
        change = {"body": body, **({"title": wanted.title} if wanted.title else {})}
        self.known[wanted.key], _ = call("PATCH", f"{self.url}/{issue['number']}", self.headers, change)

    def move(self, issue, is_open):
        state = {"state": "open", "state_reason": "reopened"} if is_open else {"state": "closed", "state_reason": "completed"}
        call("PATCH", f"{self.url}/{issue['number']}", self.headers, state)


class Jira:
    """https://developer.atlassian.com/cloud/jira/platform/rest/v3/ (Jira Cloud)"""

    def __init__(self, settings):
        self.url, self.settings, self.made = f"{settings['JIRA_URL'].rstrip('/')}/rest/api/3", settings, {}
        user = f"{settings['JIRA_USER']}:{settings['JIRA_TOKEN']}".encode()
        self.headers = {"Accept": "application/json", "Authorization": f"Basic {base64.b64encode(user).decode()}"}

    def begin(self):
        pass

    def find(self, wanted):
        fields = ["description", "status"]
        if wanted.key in self.made:
            # The search of Jira knows new issues only after a while.
            issue, _ = call("GET", f"{self.url}/issue/{self.made[wanted.key]}?fields={','.join(fields)}", self.headers, missing=True)
        else:
            jql = f'project = "{self.settings["JIRA_PROJECT"]}" AND labels = "plimsoll-{wanted.key}"'
            found, _ = call("POST", f"{self.url}/search/jql", self.headers, {"jql": jql, "fields": fields, "maxResults": 1})
            issue = (found["issues"] or [None])[0]
        if issue is None:
            return None
        mark = MARK.search(json.dumps(issue["fields"].get("description")))
        return issue, mark and mark.group(0), issue["fields"]["status"]["statusCategory"]["key"] != "done"

    def write(self, wanted, issue, link):
        paragraph = lambda text, **more: {"type": "paragraph", "content": [{"type": "text", "text": text, **more}]}
        items = [{"type": "listItem", "content": [paragraph(line)]} for line in wanted.lines]
        linked = [paragraph(link, marks=[{"type": "link", "attrs": {"href": link}}])]
        description = {"type": "doc", "version": 1, "content": [{"type": "bulletList", "content": items}] + linked + [paragraph(wanted.mark)]}
        fields = {"description": description, **({"summary": wanted.title} if wanted.title else {})}
        if issue is not None:
            call("PUT", f"{self.url}/issue/{issue['key']}", self.headers, {"fields": fields})
            return
        fields["project"] = {"key": self.settings["JIRA_PROJECT"]}
        fields["issuetype"] = {"name": self.settings.get("JIRA_ISSUE_TYPE", "Bug")}
        fields["labels"] = ["plimsoll", f"plimsoll-{wanted.key}"]
        made, _ = call("POST", f"{self.url}/issue", self.headers, {"fields": fields})
        self.made[wanted.key] = made["key"]

    def move(self, issue, is_open):
        name = self.settings.get("JIRA_REOPEN", "To Do") if is_open else self.settings.get("JIRA_DONE", "Done")
        path = f"{self.url}/issue/{issue['key']}/transitions"
        offered, _ = call("GET", path, self.headers)
        for one in offered["transitions"]:
            if name in (one["name"], one["to"]["name"]):
                call("POST", path, self.headers, {"transition": {"id": one["id"]}})
                return
        raise Failed(f"{issue['key']} has no transition to {name!r}: set JIRA_DONE and JIRA_REOPEN.")


class Keeper:
    """One message at a time, so that two never make the same issue."""

    def __init__(self, service, tracker):
        self.service, self.tracker, self.lock, self.done = service, tracker, threading.Lock(), {}

    def take(self, message_id, data):
        """Whether all of it is done. A repetition goes on with what was left."""
        until = time.monotonic() + LONGEST_WORK
        if not self.lock.acquire(timeout=LONGEST_WORK):
            return False
        try:
            self.done = {message_id: self.done.get(message_id, set())}
            done = self.done[message_id]
            self.tracker.begin()
            for finding_id in self.service.findings_of(data["workspaceId"], data["incidentId"]):
                if finding_id in done:
                    continue
                if time.monotonic() > until:
                    return False
                self.keep(data["workspaceId"], finding_id)
                done.add(finding_id)
            return True
        finally:
            self.lock.release()

    def keep(self, workspace, finding_id):
        wanted = Wanted(finding_id, self.service.finding(workspace, finding_id))
        link = f"{self.service.url}/workspaces/{workspace}/findings/{urllib.parse.quote(finding_id, safe='')}"
        found = self.tracker.find(wanted)
        if found is None:
            if wanted.is_open:
                self.tracker.write(wanted, None, link)
            return
        issue, mark, is_open = found
        if mark == wanted.mark:
            return
        # Somebody's own closing and opening stays: only a change of the finding moves the issue.
        was_open = mark is None or ":open:" in mark
        if was_open != wanted.is_open and is_open != wanted.is_open:
            self.tracker.move(issue, wanted.is_open)
        self.tracker.write(wanted, issue, link)


def handler_of(keeper, secret):
    class Handler(BaseHTTPRequestHandler):
        timeout = 15

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not length.isdigit() or int(length) > LONGEST_BODY:
                return self.answer(413)
            body = self.rfile.read(int(length))
            if not is_genuine(self.headers, body, secret):
                return self.answer(401)
            message = json.loads(body)
            data = message.get("data", {})
            if message["type"] == "test" or data.get("alertRule", {}).get("type") != "NewVulnerabilityFinding":
                return self.answer(204)
            try:
                self.answer(204 if keeper.take(self.headers["webhook-id"], data) else 503)
            except Failed as failure:
                # The service sends it again, for three days.
                print(failure, file=sys.stderr, flush=True)
                self.answer(502)

        def log_request(self, code="-", size="-"):
            if int(code) >= 400:
                super().log_request(int(code), size)

        def answer(self, status):
            self.send_response(status)
            if status == 503:
                self.send_header("Retry-After", "5")
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Handler


TRACKERS = {"github": GitHub, "jira": Jira}


def main(settings):
    try:
        tracker = TRACKERS[settings["PLIMSOLL_ISSUES"]](settings)
        keeper = Keeper(Plimsoll(settings["PLIMSOLL_URL"], settings["PLIMSOLL_API_KEY"]), tracker)
        handler = handler_of(keeper, settings["PLIMSOLL_WEBHOOK_SECRET"])
    except KeyError as missing:
        sys.exit(f"{missing} is not set, or not as docs/guide/issues.md says.")
    host, port = settings.get("HOST", "127.0.0.1"), int(settings.get("PORT", "8090"))
    server = ThreadingHTTPServer((host, port), handler)
    print(f"listening on {host}:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(os.environ)
