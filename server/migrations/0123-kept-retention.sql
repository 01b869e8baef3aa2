-- Until when a version is kept by a product line that its firmware left since, or that was deleted: it was placed on the market as a part
-- of it (Article 13(9) and 13(13) of Regulation (EU) 2024/2847). null: by none. The line may be gone, so its name stays here.
alter table firmware_versions add column retained_until timestamptz(3);
alter table firmware_versions add column retained_by_line uuid;
alter table firmware_versions add column retained_by_name text;
