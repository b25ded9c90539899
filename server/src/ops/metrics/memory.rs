//! Memory of the process, as reported by Linux.

use std::fs;
use std::path::Path;

/// Bytes in use; `None` where the system does not report it.
pub(super) fn resident() -> Option<i64> {
    resident_in(&fs::read_to_string("/proc/self/status").ok()?)
}

fn resident_in(status: &str) -> Option<i64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Memory limit of its control group: the smallest one on the way to the root.
pub(super) fn limit() -> Option<i64> {
    limit_below(
        Path::new("/sys/fs/cgroup"),
        &fs::read_to_string("/proc/self/cgroup").ok()?,
    )
}

fn limit_below(root: &Path, groups: &str) -> Option<i64> {
    // Version 2 of control groups has a single hierarchy, number 0.
    let group = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::/"))
        .unwrap_or_default();
    let group = root.join(group);

    // A group is bound by the limits of all groups above it.
    let limits = group
        .ancestors()
        .take_while(|place| place.starts_with(root))
        .filter_map(|place| {
            // `max`, which is not a number, means no limit.
            fs::read_to_string(place.join("memory.max"))
                .ok()?
                .trim()
                .parse()
                .ok()
        });

    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_this_process_is_known() {
        let bytes = resident().expect("Linux tells it");
        assert!((1 << 20..1 << 40).contains(&bytes), "{bytes}");
        assert_eq!(
            resident_in("VmPeak:\t 9 kB\nVmRSS:\t    2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(resident_in("VmRSS: ? kB"), None);
    }

    #[test]
    fn the_smallest_limit_of_the_groups_holds() {
        let place = tempfile::tempdir().unwrap();
        let service = place.path().join("system.slice/bareme.service");
        fs::create_dir_all(&service).unwrap();
        let found = || limit_below(place.path(), "0::/system.slice/bareme.service\n");
        assert_eq!(found(), None);
        fs::write(service.join("memory.max"), "max\n").unwrap();
        assert_eq!(found(), None);
        fs::write(place.path().join("system.slice/memory.max"), "2000\n").unwrap();
        assert_eq!(found(), Some(2000));
        fs::write(service.join("memory.max"), "1000\n").unwrap();
        assert_eq!(found(), Some(1000));
        fs::write(place.path().join("memory.max"), "500\n").unwrap();
        assert_eq!(
            limit_below(place.path(), "1:memory:/x\n"),
            Some(500),
            "in a container the root is its own"
        );
    }
}
