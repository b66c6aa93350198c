CREATE TRIGGER contents_named_insert after insert on attachments
when new.sha256 is not null or new.thumbnail is not null begin
  update file_contents set unnamed_since = null where sha256 in (new.sha256, new.thumbnail) and unnamed_since is not null;
end;
--> statement-breakpoint
CREATE TRIGGER contents_named_update after update of sha256, thumbnail on attachments
when new.sha256 is not old.sha256 or new.thumbnail is not old.thumbnail begin
  update file_contents set unnamed_since = -1 where sha256 in (old.sha256, old.thumbnail);
  update file_contents set unnamed_since = null where sha256 in (new.sha256, new.thumbnail) and unnamed_since is not null;
end;
--> statement-breakpoint
CREATE TRIGGER contents_named_delete after delete on attachments
when old.sha256 is not null or old.thumbnail is not null begin
  update file_contents set unnamed_since = -1 where sha256 in (old.sha256, old.thumbnail);
end;
