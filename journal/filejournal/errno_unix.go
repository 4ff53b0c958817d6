//go:build unix

package filejournal

import "syscall"

const errReadOnly = syscall.EROFS
