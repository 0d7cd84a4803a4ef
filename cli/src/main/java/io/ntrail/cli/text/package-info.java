/**
 * Writers of output, one for each kind: tables, numbers and units, JSON, progress, messages. The
 * only package that touches the standard streams.
 */
@NullMarked
package io.ntrail.cli.text;

import org.jspecify.annotations.NullMarked;
