package sqlstore

import "testing"

func TestPlaceOfAFile(t *testing.T) {
	t.Parallel()
	for magic, want := range map[uint32]place{
		0x6969: remotePlace, 0xFF534D42: remotePlace, 0x01021994: volatilePlace, 0x65735546: foreignPlace,
		0xEF53: localPlace, 0x794C7630: localPlace, // ext4, overlay
	} {
		if got := placeOfType(magic); got != want {
			t.Errorf("%#x: %d; want %d", magic, got, want)
		}
	}
	if got := placeOf("/no such file"); got != localPlace {
		t.Errorf("a file that is not there: %d", got)
	}
}
