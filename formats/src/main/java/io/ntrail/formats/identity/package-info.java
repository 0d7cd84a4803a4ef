/** Identities that several formats must agree on. */
@NullMarked
package io.ntrail.formats.identity;

import org.jspecify.annotations.NullMarked;
