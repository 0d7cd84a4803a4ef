/**
 * PE images that others made and what outside tools printed about them: the images by group and
 * name, the text of llvm-readobj and objdump as neutral trees and records, number tables, and a
 * loader's view of an image.
 *
 * <p>Nothing here judges: where a tool is known to be wrong about some bytes, the comparing test
 * says so by name.
 */
@NullMarked
package io.ntrail.testkit.pe;

import org.jspecify.annotations.NullMarked;
