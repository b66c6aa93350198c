/** Watching the system calls of a process with `strace`, which other systems and many machines lack. */
import { spawnSync } from 'node:child_process'

/**
 * Why a test that needs `strace` is skipped; false where it can run. What other systems have instead needs rights that a
 * test should not need.
 */
export const withoutStrace: string | false =
  process.platform !== 'linux'
    ? 'strace is only for Linux'
    : spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
      ? false
      : 'strace is not installed, or may not trace (apt-get install strace); .ci/run has it'
