-- What the server of a webhook reads: our messages, or those of a chat.
alter table webhooks add column format text not null default 'Plimsoll'
  check (format in ('Plimsoll', 'Slack', 'Teams'));
