/** The links to export the board. */
import { root } from '../common/api.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import { Section } from './section.tsx'

export const Exports = ({ id }: { id: string }) => (
  <Section title={texts.overview.exports}>
    <p>
      <a class="button" href={`${root}api/projects/${encodeURIComponent(id)}/export.csv`} download>
        <Icon name="import" /> {texts.overview.csv}
      </a>
    </p>
  </Section>
)
