package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// try opens a file that nobody else can open meanwhile.
func try(name string) (io.Closer, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const alone = 0
	handle, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == nil {
		return os.NewFile(uintptr(handle), name), nil
	}
	const sharingViolation = syscall.Errno(32)
	if errors.Is(err, sharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED) {
		return nil, errLocked
	}
	return nil, &os.PathError{Op: "lock", Path: name, Err: err}
}
