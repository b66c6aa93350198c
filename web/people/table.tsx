/** A table. It scrolls horizontally if the window is narrow, and is a list of its rows on a phone. */
import type { ComponentChildren } from 'preact'

interface Props {
  /** Its accessible name. */
  label: string
  columns: readonly string[]
  /** Its rows. */
  children: ComponentChildren
}

export const Table = ({ label, columns, children }: Props) => (
  <section
    class="scroll"
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    tabIndex={0}
    style={Object.fromEntries(columns.map((name, index) => [`--column-${index + 1}`, JSON.stringify(name)]))}
  >
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
