-- What of a device's reports went back to the value before: {"serial": {"before": "A", "returns": 1, "at": "…"}}. Two devices with one id
-- (a copied disk) report in turn.
alter table devices add column alternations jsonb not null default '{}';
