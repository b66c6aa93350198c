/** Settings in the browser's storage. Where the storage is forbidden, they last as long as the page. */
import { type Signal, signal } from '@preact/signals'

/** The values by key, for pages without a storage, and so that every part of the page shares one signal. */
const all = new Map<string, Signal<string>>()

/** A setting of this browser; empty if none was chosen. Subscribes to it. @param key its name in the storage */
export function stored(key: string): Signal<string> {
  let value = all.get(key)
  if (value === undefined) {
    value = signal(read(key))
    all.set(key, value)
  }
  return value
}

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Stores a setting in this browser. An empty one is removed. */
export function store(key: string, value: string): void {
  stored(key).value = value
  try {
    if (value === '') localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The storage is forbidden or full.
  }
}
