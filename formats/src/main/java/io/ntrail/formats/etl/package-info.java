/** ETW recordings. */
@NullMarked
package io.ntrail.formats.etl;

import org.jspecify.annotations.NullMarked;
