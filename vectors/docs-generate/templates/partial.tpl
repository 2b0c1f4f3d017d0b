Hello
  {{> header}}
