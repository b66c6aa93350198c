/** Observes the system calls of a process with `strace`, which other systems and many machines do not have. */
import { spawnSync } from 'node:child_process'

/**
 * Why a test that needs `strace` is skipped; false if it can run. The equivalents on other systems need privileges that a test
 * should not need.
 */
export const withoutStrace: string | false =
  process.platform !== 'linux'
    ? 'strace is only for Linux'
    : spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
      ? false
      : 'strace is not installed, or may not trace (apt-get install strace); .ci/run has it'
