-- What a device reports as the hash of the image that runs, in normal form (server/src/formats/provenance/image-hash.ts), of its attribute
-- imageHash.<slug>, or imageHash where it runs nothing else. Null: it reports none. Whose hash it is, is asked each time (decision 125).
alter table device_firmwares add column image_hash text collate "C";

update device_firmwares as running set image_hash = said.hash
from (
  select one.workspace_id, one.device_id, one.slug,
    nullif(left(coalesce(
      substring(one.text from '^sha-?256[:=]?\s*([0-9a-f]{64})$'), substring(one.text from '^sha-?384[:=]?\s*([0-9a-f]{96})$'),
      substring(one.text from '^sha-?512[:=]?\s*([0-9a-f]{128})$'), one.text), 200), '') as hash
  from (
    select running.workspace_id, running.device_id, running.slug,
      lower(btrim(coalesce(device.attributes ->> ('imageHash.' || running.slug), case when not exists (
        select from device_firmwares as beside
        where beside.workspace_id = running.workspace_id and beside.device_id = running.device_id and beside.slug <> running.slug)
      then device.attributes ->> 'imageHash' end), E' \t\r\n')) as text
    from devices as device
    join device_firmwares as running on running.workspace_id = device.workspace_id and running.device_id = device.id
    where device.attributes::text like '%imageHash%'
  ) as one
) as said
where running.workspace_id = said.workspace_id and running.device_id = said.device_id and running.slug = said.slug and said.hash is not null;

-- Counts devices by hash, and finds those of one hash, the longest first.
create index device_firmwares_image on device_firmwares (workspace_id, firmware_version_id, image_hash, since, device_id)
  where image_hash is not null;
