"""What all pages share: the templates, their macros, the style sheet, and what a browser may do with a page.

`render` fills templates, which escape every value that is not `Markup`, and has the policies with which pages are sent:
a page may run no script but those that it names by their hash, and load nothing from elsewhere. A page is either
served, or one file that works without a network, for reports. `pictures` computes what small pictures show: signs of
bots, lines, intervals, positions of games.

Templates get values, and decide nothing but their form. The rooms that have pages make the values.
"""
