-- When a device that had the update went back to another version by itself. Until then it ran the version, which counts where a later attempt is
-- compared with the time before. null: it never did, or it is not known, as before this column.
alter table device_updates add column fell_back_at timestamptz(3);
