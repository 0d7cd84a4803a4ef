/**
 * PDBs that others made, what outside tools printed about them, and writers of small ones written
 * apart from the readers.
 */
@NullMarked
package io.ntrail.testkit.pdb;

import org.jspecify.annotations.NullMarked;
