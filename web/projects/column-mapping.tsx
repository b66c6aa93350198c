/** The first rows of a table, with the field of each column. */
import { NO_FIELD } from '../../src/exchange/sources/column-names.ts'
import { Select } from '../common/ui/select.tsx'
import { imports } from '../later-import-texts.ts'
import type { Preview } from './file-format.ts'

/** The fields to choose from, with their names; none first. */
const options = () => [[NO_FIELD, imports.noField] as const, ...Object.entries(imports.fields)]

export function ColumnMapping({
  preview,
  fields,
  onChoose,
}: {
  preview: Preview
  /** The field of each column. */
  fields: readonly string[]
  onChoose: (column: number, field: string) => void
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, too
    <section class="column-mapping" aria-label={imports.columns} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {preview.header.map((name, column) => (
              <th key={`${column} ${name}`} scope="col">
                <Select
                  label={name || imports.unnamed(column + 1)}
                  value={fields[column] ?? NO_FIELD}
                  options={options()}
                  onChoose={(field) => onChoose(column, field)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row, index) => (
            <tr key={`${index} ${row.join()}`}>
              {preview.header.map((name, column) => (
                <td key={`${column} ${name}`} dir="auto">
                  {row[column]?.slice(0, 60)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
