/**
 * Shared parts of the tests of every module, which no program code may use: the folder of real
 * recordings, seeded randomness, and writers that know the formats on their own account.
 *
 * <p>Nothing here depends on the other modules, so that a reader and the writer it is tested with
 * share no constant and no layout: where both agree, two separate readings of the format agree.
 */
@NullMarked
package io.ntrail.testkit;

import org.jspecify.annotations.NullMarked;
