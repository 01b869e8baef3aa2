-- A row counts the devices that say they run the firmware version with this image: the hash that they report, in normal form, or '' where
-- they report none but the build id of the version. Kept like the other counts of devices, in the transactions that change what is
-- counted (decision 138); `admin doctor` compares. Whose hash it is, is asked each time (decision 125).
create table device_image_counts (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  image_hash text collate "C" not null,
  -- SHA-256, SHA-384 or SHA-512 in hexadecimal; what is no hash is a text that a device sent in its place.
  is_hash boolean not null generated always as (length(image_hash) in (64, 96, 128) and image_hash !~ '[^0-9a-f]') stored,
  devices integer not null,
  primary key (workspace_id, firmware_version_id, image_hash),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

insert into device_image_counts (workspace_id, firmware_version_id, image_hash, devices)
select workspace_id, firmware_version_id, coalesce(image_hash, ''), count(*)
from device_firmwares
where firmware_version_id is not null and (image_hash is not null or build_id is not null)
group by 1, 2, 3;

-- Blind spots, those on most devices first.
create index device_image_counts_most on device_image_counts (workspace_id, devices desc, firmware_version_id, image_hash);
