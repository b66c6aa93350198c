/** Whether this browser shows notifications of its own, for an open tab that is hidden. */
import { store, stored } from './stored.ts'

const SETTING = 'phaseboard:notify'

/** Whether the user wants them in this browser. Subscribes to it. */
export const isNotifying = (): boolean => stored(SETTING).value === 'on'

/** Whether this browser can show them. */
export const canNotify = (): boolean => 'Notification' in globalThis

/** Whether they are to be shown: the browser's permission may have ended since. */
export const mayNotify = (): boolean => isNotifying() && canNotify() && Notification.permission === 'granted'

/** Turns them on, which prompts for the browser's permission, or off. @returns whether the browser allows it */
export async function setNotifying(isOn: boolean): Promise<boolean> {
  const isAllowed = !isOn || (await Notification.requestPermission()) === 'granted'
  store(SETTING, isOn && isAllowed ? 'on' : '')
  return isAllowed
}
