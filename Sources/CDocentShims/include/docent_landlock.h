#ifndef DOCENT_LANDLOCK_H
#define DOCENT_LANDLOCK_H

/// The version of Landlock's interface that the running kernel has, from 1; a negative error number where it has none.
int docent_landlock_version(void);

#endif
