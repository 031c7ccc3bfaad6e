/** Number of invocations in a subgroup. A subgroup is a quad. */
export const SUBGROUP_SIZE = 4;
