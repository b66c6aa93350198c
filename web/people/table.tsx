/** A table that scrolls horizontally if the window is narrow. */
import type { ComponentChildren } from 'preact'

interface Props {
  /** Its accessible name. */
  label: string
  columns: readonly string[]
  /** Its rows. */
  children: ComponentChildren
}

export const Table = ({ label, columns, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
  <section class="scroll" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)
