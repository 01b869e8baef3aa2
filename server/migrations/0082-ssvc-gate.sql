-- From which outcome of SSVC on the release gate stops a version; null: it does not ask.

alter table ssvc_settings add column gate_from text;
