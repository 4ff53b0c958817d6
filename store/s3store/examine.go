package s3store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// Examine says what decides whether the bucket can host leases under the options o,
// finding by finding. It works where Open refuses, and changes nothing but the object
// that Open writes to as well. What the bucket does by itself with objects is looked at
// where the client can ask, as an *s3.Client can. The error says that the endpoint could
// not be asked at all, and is one of the contract.
func Examine(ctx context.Context, client Client, bucket string, o *Options) ([]driver.Finding, error) {
	full, err := o.withDefaults(client, bucket)
	if err != nil {
		return nil, err
	}
	all, err := casstore.Examine(ctx, place{client, bucket}, full.Label, full.cas())
	if err != nil {
		return nil, err
	}
	if c, ok := client.(settler); ok {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		all = append(all, settings(ctx, c, bucket, full.Prefix)...)
	}
	return all, ctx.Err()
}

// settler is a client that can ask for the settings of a bucket.
type settler interface {
	GetBucketVersioning(context.Context, *s3.GetBucketVersioningInput, ...func(*s3.Options)) (*s3.GetBucketVersioningOutput, error)
	GetBucketLifecycleConfiguration(context.Context, *s3.GetBucketLifecycleConfigurationInput, ...func(*s3.Options)) (*s3.GetBucketLifecycleConfigurationOutput, error)
	GetObjectLockConfiguration(context.Context, *s3.GetObjectLockConfigurationInput, ...func(*s3.Options)) (*s3.GetObjectLockConfigurationOutput, error)
}

// settings are findings about what the bucket does by itself with objects that are
// replaced.
func settings(ctx context.Context, c settler, bucket, prefix string) []driver.Finding {
	var rules []types.LifecycleRule
	lifecycle, err := c.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &bucket}, once)
	if lifecycle != nil {
		rules = slices.DeleteFunc(lifecycle.Rules, func(r types.LifecycleRule) bool {
			return r.Status != types.ExpirationStatusEnabled || tagged(r) || !overlap(beginning(r), prefix)
		})
	}
	all := []driver.Finding{told(removal(rules, prefix), err, "GetLifecycleConfiguration")}

	versioning, err := c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &bucket}, once)
	kept := versioning != nil && versioning.Status == types.BucketVersioningStatusEnabled
	all = append(all, told(copies(kept, rules), err, "GetBucketVersioning"))

	lock, err := c.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: &bucket}, once)
	locked := lock != nil && lock.ObjectLockConfiguration != nil && lock.ObjectLockConfiguration.Rule != nil
	return append(all, told(retention(locked), err, "GetBucketObjectLockConfiguration"))
}

// told is f, unless the answer to the question is err.
func told(f driver.Finding, err error, right string) driver.Finding {
	status, code := answer(err)
	switch {
	case err == nil, strings.HasPrefix(code, "NoSuch"), strings.HasSuffix(code, "NotFoundError"):
		return f // there is no such setting
	case status == 501, status == 405:
		f.Found = "the endpoint has no such setting"
		return f
	}
	f.Grade, f.Found = driver.Warning, "not readable: "+err.Error()
	f.Means = "it is not known whether the bucket removes or keeps what the store writes"
	f.Do = "look at the bucket's settings, or give the identity s3:" + right
	return f
}

// beginning is what the keys begin with that a lifecycle rule is about.
func beginning(r types.LifecycleRule) string {
	switch f := r.Filter; {
	case f == nil:
		//lint:ignore SA1019 rules that were made long ago have it in this place
		return aws.ToString(r.Prefix)
	case f.And != nil:
		return aws.ToString(f.And.Prefix)
	default:
		return aws.ToString(f.Prefix)
	}
}

// tagged reports whether a rule is about objects with a tag, which the store gives to none.
func tagged(r types.LifecycleRule) bool {
	f := r.Filter
	return f != nil && (f.Tag != nil || f.And != nil && len(f.And.Tags) > 0)
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// removal looks for a rule that deletes what is in force, or puts it where it can't be read.
func removal(rules []types.LifecycleRule, prefix string) driver.Finding {
	f := driver.Finding{Subject: "lifecycle", Grade: driver.Fit, Found: "no rule removes records", Means: "a record stays, and its number with it"}
	for _, r := range rules {
		if r.Expiration != nil && (r.Expiration.Days != nil || r.Expiration.Date != nil) {
			f.Grade, f.Found = driver.Warning, fmt.Sprintf("rule %q expires objects below %s", aws.ToString(r.ID), prefix)
			f.Means = "the record of a name that rests is lost; only the clock keeps the next token above the last one"
			f.Do = "take the prefix out of the rule"
			return f
		}
		if slices.ContainsFunc(r.Transitions, archives) {
			f.Grade, f.Found = driver.Warning, fmt.Sprintf("rule %q archives objects below %s, unless they are too small for it", aws.ToString(r.ID), prefix)
			f.Means = "a record that was archived can't be read, so its name can't be granted; nor can any, where it is the store's own"
			f.Do = "take the prefix out of the rule"
		}
	}
	return f
}

// archives reports whether an object has to be restored before it can be read again.
func archives(t types.Transition) bool {
	return t.StorageClass == types.TransitionStorageClassGlacier || t.StorageClass == types.TransitionStorageClassDeepArchive
}

// copies looks for what each step leaves behind.
func copies(kept bool, rules []types.LifecycleRule) driver.Finding {
	f := driver.Finding{Subject: "versioning", Grade: driver.Fit, Found: "off", Means: "a name costs one object"}
	if !kept {
		return f
	}
	if f.Found = "on, and noncurrent versions expire"; !slices.ContainsFunc(rules, func(r types.LifecycleRule) bool { return r.NoncurrentVersionExpiration != nil }) {
		f.Grade, f.Found, f.Means = driver.Warning, "on, without end", "every acquire, renewal and release leaves a version behind for ever"
		f.Do = "let a lifecycle rule expire noncurrent versions below the prefix"
	}
	return f
}

// retention looks for versions that nothing may remove.
func retention(locked bool) driver.Finding {
	f := driver.Finding{Subject: "object lock", Grade: driver.Fit, Found: "no default retention", Means: "versions that were replaced can be removed"}
	if locked {
		f.Grade, f.Found, f.Do = driver.Warning, "a default retention", "use a bucket without one"
		f.Means = "leases work, but every acquire, renewal and release leaves a version behind that nothing can remove before its time"
	}
	return f
}
