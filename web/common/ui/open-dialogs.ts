/** The open dialogs. Apart from the dialog itself, which the page loads later. */
import { computed, signal } from '@preact/signals'

/** The ids of the open dialogs, the top one last. */
export const openDialogs = signal<readonly string[]>([])

/** The id of the top dialog. Everything outside it is inert, so messages are rendered in it. */
export const topDialog = computed(() => openDialogs.value.at(-1))
