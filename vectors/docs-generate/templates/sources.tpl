{{#people.people}}{{name}} since {{since}}
{{/people.people}}rate {{people.rate}}
{{note}}{{made.answer}} {{surface_id}} {{output_mode}}
{{#sources.people.people}}{{.}}{{/sources.people.people}}
