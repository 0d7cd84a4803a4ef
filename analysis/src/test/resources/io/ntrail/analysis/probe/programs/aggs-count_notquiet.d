BEGIN {}
BEGIN {}
BEGIN {}
BEGIN { trace("hello world"); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { @a = count(); }
BEGIN { exit(0); }
