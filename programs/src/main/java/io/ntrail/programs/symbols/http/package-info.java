/**
 * Files of symbol stores on servers. The only place of ntrail that asks the network: GET requests,
 * to the servers that the user named and where those send it.
 */
@NullMarked
package io.ntrail.programs.symbols.http;

import org.jspecify.annotations.NullMarked;
