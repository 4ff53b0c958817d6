package sqlstore

import "syscall"

// placeOf says on what kind of file system a path lies, by the numbers of statfs(2).
func placeOf(path string) place {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return localPlace
	}
	return placeOfType(uint32(s.Type))
}

func placeOfType(magic uint32) place {
	switch magic {
	case 0x6969, 0x517B, 0xFE534D42, 0xFF534D42, 0x5346414F, 0x00C36400, 0x01021997, 0x0BD00BD0, 0x47504653: // NFS, SMB, SMB2, CIFS, AFS, Ceph, 9P, Lustre, GPFS
		return remotePlace
	case 0x01021994, 0x858458F6: // tmpfs, ramfs
		return volatilePlace
	case 0x65735546: // FUSE
		return foreignPlace
	}
	return localPlace
}
