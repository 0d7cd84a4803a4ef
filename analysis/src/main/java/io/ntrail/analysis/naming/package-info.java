/**
 * Names for the addresses of a recording: its address history (which image or compiled method lay
 * where, and when), joined with PDBs and exports of its images; functions as numbers; patterns of
 * names. Knows no format of recordings.
 */
@NullMarked
package io.ntrail.analysis.naming;

import org.jspecify.annotations.NullMarked;
