/** Chooses a person like a user who types a part of the name. */
import type { Locator } from 'playwright-core'

/** Types a part of a name into a field, and chooses the offered person. @param where what contains the field */
export async function choosePerson(where: Locator, label: string, name: string, typed = name): Promise<void> {
  await where.getByRole('combobox', { name: label, exact: true }).fill(typed)
  await where.getByRole('listbox', { name: label }).getByRole('option', { name, exact: true }).click()
}
