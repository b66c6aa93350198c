ALTER TABLE `imports` ADD `matches` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `quiet_changes` ADD `at` text;--> statement-breakpoint
UPDATE `imports` SET `matches` = json_extract(`counts`, '$.people'), `counts` = json_remove(`counts`, '$.people') WHERE CASE WHEN json_valid(`counts`) THEN json_type(`counts`, '$.people') = 'array' END;
