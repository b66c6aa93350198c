/** The links to export the board. */
import { root } from '../common/api.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import { Section } from './section.tsx'

/** The files, by the names of the tools that import them; the first is for any. */
const FILES: readonly (readonly [tool: string | undefined, file: string])[] = [
  [undefined, 'export.csv'],
  ['Linear', 'export.csv?format=linear'],
  ['Planka', 'export.json'],
  ['GitHub', 'export.csv?format=github'],
]

export const Exports = ({ id }: { id: string }) => (
  <Section title={texts.overview.exports}>
    <p class="row">
      {FILES.map(([tool, file]) => (
        <a key={file} class="button" href={`${root}api/projects/${encodeURIComponent(id)}/${file}`} download>
          <Icon name="import" /> {tool === undefined ? texts.overview.csv : texts.overview.cardsFor(tool)}
        </a>
      ))}
    </p>
  </Section>
)
