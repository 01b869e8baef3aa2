-- What an entry is found by, put together once: to write its values as text again for each search took most of the time.
alter table audit_log add column search_text text not null generated always as (
  lower(coalesce(actor_email, '') || ' ' || coalesce(actor_id, '') || ' ' || action || ' ' || resource_type || ' ' || resource_id
    || ' ' || coalesce(before::text, '') || ' ' || coalesce(after::text, '') || ' ' || coalesce(request_id, ''))) stored;
