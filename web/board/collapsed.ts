/** Collapsed columns. Each member has their own, in this browser. */
import { me } from '../common/session.ts'
import { store, stored } from '../common/stored.ts'

/** The number of columns that are remembered: enough for all boards that somebody uses. */
const MOST = 500

const keyOf = () => `phaseboard:collapsed:${me.value?.id ?? ''}`
const idsOf = (key: string) => stored(key).value.split(' ').filter(Boolean)

/** Whether a column is collapsed. Subscribes to it. */
export const isCollapsed = (id: string): boolean => idsOf(keyOf()).includes(id)

/** Collapses a column, or expands it. */
export function collapse(id: string, isOn: boolean): void {
  const key = keyOf()
  const others = idsOf(key).filter((one) => one !== id)
  store(key, (isOn ? [id, ...others].slice(0, MOST) : others).join(' '))
}
