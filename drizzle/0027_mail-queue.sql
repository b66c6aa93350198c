-- A notification is queued in the write that makes it, whoever makes it, if its member wants mail or a host takes all of them.
create trigger notifications_queued after insert on notifications
when exists (select 1 from member_preferences where member_id = new.member_id and email <> 'none')
  or exists (select 1 from mail_state where name = 'hook')
begin
  insert into mails (member_id) values (new.member_id) on conflict do nothing;
  insert into mail_queue (notification_id, member_id) values (new.id, new.member_id) on conflict do nothing;
end;
