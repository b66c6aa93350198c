/** Marks a project that only those assigned to it see. */
import { texts } from '../../texts.ts'
import { Icon } from './icon.tsx'

/** A lock with a name, for private projects; nothing for others. */
export const Lock = ({ of: project }: { of: { access: string } | undefined }) =>
  project?.access === 'assigned' ? (
    <span class="lock" role="img" aria-label={texts.project.isPrivate} title={texts.project.isPrivateHint}>
      <Icon name="lock" />
    </span>
  ) : null

/** The name of a project in a choice, which has no icons. */
export const choiceName = ({ name, access }: { name: string; access: string }): string =>
  access === 'assigned' ? texts.project.privateName(name) : name
