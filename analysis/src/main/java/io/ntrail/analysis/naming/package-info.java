/**
 * Names for the addresses of a recording: joins the images that a recording tells of with the
 * symbols of their PDBs and exports.
 */
@NullMarked
package io.ntrail.analysis.naming;

import org.jspecify.annotations.NullMarked;
