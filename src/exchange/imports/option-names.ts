/** The names of an import's options on the command line and over HTTP, for messages. */

interface OptionNames {
  again: string
  mapMembers: string
}

const OF_THE_COMMAND: OptionNames = { again: '--again', mapMembers: '--map-members' }

const OF_A_REQUEST: OptionNames = { again: 'again=true', mapMembers: 'mapMembers=true' }

/** The names for a caller. @param memberId the member; null for the command line */
export const optionNamesFor = (memberId: string | null): OptionNames =>
  memberId === null ? OF_THE_COMMAND : OF_A_REQUEST
