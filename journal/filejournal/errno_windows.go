package filejournal

import "syscall"

const errReadOnly = syscall.Errno(19) // ERROR_WRITE_PROTECT
